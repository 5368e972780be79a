"""Layer 3: is the answer correct, faithful, rightly and fully cited?"""
