"""From the outcomes of the layers to one failure category a query, with its proof."""
