"""Ways to abstain, and answers that resemble them, in English."""

from __future__ import annotations

import pytest

from ragdiag.text.abstention import abstains

_CAPEX = "What was Norvik's capital expenditure in FY2017?"
_STAFF = "How many employees did Brenta have at the end of 2020?"
_OPENED = "When was the Halden tunnel opened?"
_LOSS = "Did Norvik report a loss in 2017?"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (
            _CAPEX,
            "The figure you are asking about does not appear anywhere in the pages I was shown.",
        ),
        (_CAPEX, "Nothing in the excerpts speaks to capital expenditure, so I will not guess."),
        (_CAPEX, "I looked through all five passages and came up empty."),
        (_CAPEX, "There's simply not enough here to give you a number."),
        (_CAPEX, "That detail is absent from the filing."),
        (_CAPEX, "The passages are silent on this point."),
        (_CAPEX, "My apologies, but the materials supplied leave this question open."),
        (
            _CAPEX,
            "I'd rather not speculate: the report excerpts make no reference to capital expenditure.",
        ),
        (_CAPEX, "No relevant information was retrieved."),
        (_CAPEX, "The answer isn't in the text."),
        (_CAPEX, "Capital expenditure for 2017 is nowhere to be found in these documents."),
        (_CAPEX, "It is unclear from the sources what Norvik spent on capital goods that year."),
        (_CAPEX, "Insufficient evidence."),
        (
            _CAPEX,
            "As of my last training update, I have no figures for Norvik. For accurate numbers, consult the company's annual report.",
        ),
        (
            _CAPEX,
            "Norvik publishes its capital expenditure in the cash flow statement. To find the number for FY2017, please look at the annual report on its investor relations page.",
        ),
        (
            _CAPEX,
            "To compute this, one would need the cash flow statement for 2017, which is missing from the context.",
        ),
        (
            _CAPEX,
            "The context talks about dividends and debt but says nothing about capital expenditure.",
        ),
        (_CAPEX, "I am afraid the documents provided do not let me answer this."),
        (_CAPEX, "We were unable to locate any mention of capital expenditure in the 2017 report."),
        (
            _CAPEX,
            "Since the 2017 cash flow statement was not included, the requested amount can't be worked out.",
        ),
        (
            _CAPEX,
            "The provided documents only cover FY2015 and FY2016. Therefore I cannot say what the FY2017 figure was.",
        ),
        (_CAPEX, "The question can't be answered from the given context."),
        (_CAPEX, "This falls outside what the sources cover."),
        ("Who chairs the audit committee?", "The chair of the audit committee is not named."),
        ("Who chairs the audit committee?", "None of the retrieved sections identifies the chair."),
        (
            "Who chairs the audit committee?",
            "I have no way of knowing who chairs the committee from this page.",
        ),
        (
            "Did the company hedge its currency risk in 2019?",
            "The extract does not say whether the company hedged its currency risk.",
        ),
        (_CAPEX, "UNANSWERABLE: the context lacks the cash flow statement."),
        (_STAFF, "The headcount for 2020 isn't given anywhere in the retrieved pages."),
        (_STAFF, "I'm not able to tell from these excerpts."),
        (_STAFF, "Brenta's headcount is not something the provided passages discuss."),
        (_STAFF, "There is nothing in the annual report extract on the number of employees."),
        (_STAFF, "Sadly, I can't extract this number: the page with the staff table is missing."),
        (_STAFF, "The documents fail to mention how many people worked for Brenta."),
        (_STAFF, "I do not have sufficient context to respond."),
        (_STAFF, "No answer can be given on the basis of these documents."),
        (_STAFF, "Only the 2019 headcount is given in the context; the 2020 one is not."),
        (_STAFF, "The report covers revenue and debt only, so I can't tell you the headcount."),
        (_STAFF, "Answer: not in context"),
        (_STAFF, "I couldn't find any details regarding the number of employees [3]."),
        ("Who founded Brenta?", "The passages do not reveal the founder's name."),
        ("Who founded Brenta?", "It's not possible to tell who founded it from what I was given."),
        (
            "Is Brenta profitable?",
            "Whether Brenta is profitable cannot be established from the excerpts.",
        ),
        (
            "Why did revenue fall?",
            "The reasons for the fall are not discussed in the provided text.",
        ),
        (_OPENED, "Can't tell from this."),
        (_OPENED, "The opening date remains unspecified in the sources I have."),
        (_OPENED, "I searched the supplied chapters but there is no date for the opening."),
        (_OPENED, "Apologies - nothing in my knowledge base covers the Halden tunnel."),
        (_OPENED, "These search results don't answer the question."),
        (_OPENED, "None of the four documents mentions an opening date."),
        (_OPENED, "Not enough information in the context."),
        (_OPENED, "The article describes how it was built, but not when it was opened."),
        (_OPENED, "I don't have that information. Please contact the road authority."),
        (_OPENED, "Unfortunately the retrieved text doesn't include this."),
        (_OPENED, "No date is given for the opening."),
        (
            _OPENED,
            "I'm sorry, I couldn't locate an opening date in the passages provided. The passages only discuss tolls.",
        ),
        (
            _OPENED,
            "The context provided does not specify when the Halden tunnel was opened; it only states that tolls ended in 2009.",
        ),
        (_OPENED, "It isn't possible to answer this on the basis of the documents."),
        (_OPENED, "This question cannot be answered with the information at hand."),
    ],
)
def test_english_abstains(query: str, answer: str) -> None:
    assert abstains(query, answer) is True


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (_LOSS, "The company did not report a loss in 2017."),
        (_LOSS, "No, Norvik did not report a loss; it earned $12 million."),
        (
            _CAPEX,
            "Norvik spent about $412 million, though the filing does not break it down by segment.",
        ),
        (_CAPEX, "The exact figure is not given, but the two components add up to $412 million."),
        (_CAPEX, "Probably around $410 million; the report rounds to the nearest ten."),
        ("Does the loan carry a covenant?", "The loan does not contain any financial covenants."),
        ("What did the auditors find?", "The auditors found no evidence of fraud."),
        ("What debt securities are registered?", "There are none."),
        (
            "What debt securities are registered?",
            "No debt securities are registered under the Act.",
        ),
        ("Was the goodwill impaired?", "Goodwill was not impaired in 2019."),
        ("Who won?", "Nobody could say at the time, but the recount gave it to Ortega."),
        (
            "What did the spokesman say about the merger?",
            "He said he did not know when it would close.",
        ),
        ("What did the minister answer?", "The minister said that he could not provide a date."),
        ("What does the policy not cover?", "The policy does not cover flood damage."),
        ("Why was the claim rejected?", "Because the patient had not provided the form."),
        ("Is a permit needed?", "A permit is not needed for sheds under 10 m2."),
        ("What is the default behaviour?", "If no value is given, the function returns zero."),
        (
            "How do I reset my password?",
            "If you cannot find the e-mail, open Settings and choose Reset.",
        ),
        (_CAPEX, "$412 million. I could not find a figure for 2016."),
        (
            _CAPEX,
            "Capital expenditure was $412 million in 2017. The breakdown by region is not disclosed.",
        ),
        (
            "What was the gross margin in 2021 and 2022?",
            "It was 31% in 2021. The figure for 2022 is not provided in the excerpt.",
        ),
        (
            _CAPEX,
            "The table does not state the total, so I added the lines: 200 + 212 = $412 million.",
        ),
        (
            _CAPEX,
            "While the filing doesn't label it as such, purchases of property were $412 million.",
        ),
        (
            "What is the risk?",
            "The outcome of the lawsuit cannot be determined at this stage, and the company made no provision.",
        ),
        (
            "What did the company say about the outcome of the lawsuit?",
            "The company said that the outcome cannot be predicted.",
        ),
        ("How many employees left?", "It is unknown how many left in spring, but 45 left in all."),
        (
            "What happens to the unknown samples?",
            "Unknown samples are sent to the laboratory in Ghent.",
        ),
        ("What is the population of Lone Rock?", "888"),
        ("Do the rules allow dogs?", "No. Dogs are not permitted in the hall."),
        ("Is there any debt?", "The company has no debt."),
        ("Which products are excluded?", "Lithium cells are not available in Europe."),
        ("What is the dividend?", "The board did not declare a dividend in 2017."),
        (
            "What is the company's hedging policy?",
            "The company does not use derivatives and has not disclosed plans to do so.",
        ),
        ("What data does the app collect?", "The app does not collect or share any personal data."),
        ("Which statement about access is right?", "Guests have no access to the archive."),
        (
            "Was the information available to the board?",
            "No information was available to the board before the vote on 3 May.",
        ),
        (
            _CAPEX,
            "Norvik's capital expenditure was $412 million; for details, refer to the annual report.",
        ),
        (
            _CAPEX,
            "Based on the cash flow statement, capital expenditure was roughly 412. I am not certain whether leases are included.",
        ),
        (
            "How does the pension scheme work?",
            "Members pay 5% of salary. The fund is not guaranteed by the state.",
        ),
        ("Why did the talks fail?", "The parties were unable to agree on a price."),
        ("What did the survey lack?", "The survey lacked data on rural households."),
        (
            "Is inventory turnover meaningful for the bank?",
            "Inventory turnover is not meaningful for a bank, because it holds no inventory.",
        ),
        ("What does the bank offer?", "The bank does not provide loans to companies."),
        ("Why did the firm close?", "It could not find a buyer."),
        ("Was the suspect identified?", "The suspect was not identified by the police."),
        ("Does the bar contain nuts?", "It does not contain nuts."),
        (
            "Who wrote the anonymous letter?",
            "Historians have not identified the writer, but most believe it was Adams.",
        ),
        ("What did the CFO say?", 'The CFO said "we do not know the final cost".'),
        (
            "Is the drug approved?",
            "The drug has not been approved and is not available in the United States.",
        ),
        (
            "How does the parser behave?",
            "It raises an error if the field is not found in the table.",
        ),
        (_STAFF, "Brenta had 1,204 employees; the split by country is not provided in the report."),
        (
            _STAFF,
            "Although the passage does not give an exact figure, it says that some 1,200 people worked there.",
        ),
        (_STAFF, "I cannot give the average, but the year-end figure was 1,204."),
        (_STAFF, "About 1,200 (the source does not say whether part-timers are counted)."),
        (
            "Why was revenue not reported?",
            "Revenue was not reported because the audit had not been finished.",
        ),
        ("What did the inspectors lack?", "They had no access to the records."),
        (
            "When will the plant open?",
            "The company has not disclosed an opening date, but construction ends in May 2021.",
        ),
        ("Is there a dress code?", "There is no dress code."),
        ("How is the customer told?", "If we cannot answer your question, you will get an e-mail."),
        (
            "Why is the tunnel closed?",
            "No one has been allowed in since the report did not clear the ventilation.",
        ),
        ("What is the refund policy?", "We do not offer refunds after 30 days."),
        ("What did the audit conclude?", "It could not determine the cause of the fire."),
        ("What happens without a ticket?", "Without a ticket you pay a fine of 80 euros."),
        ("Who owns the tunnel?", "Unknown Pleasures Ltd owns the tunnel."),
        ("What colour is the missing page?", "The missing page is blue."),
        (
            "What is the company's position on AI?",
            "The company states that it has no position on AI.",
        ),
        ("How many people were found?", "12 people were found; three were not identified."),
        ("Which firms did not report?", "Alpha and Beta did not report their results."),
        ("Does the plan cover dental care?", "The plan does not cover dental care."),
        ("Why did the report get rejected?", "The report lacked two signatures."),
        ("What does error 404 mean?", "It means that the page was not found."),
        ("Can I bring a dog?", "You cannot bring a dog, except a guide dog."),
        (_OPENED, "It was opened in 2003. I'm not sure about the month."),
        (_OPENED, "I'm not completely certain, but I believe it was opened in 2003."),
        (_OPENED, "The passages disagree: one says 2003, the other does not give a year."),
        (
            "What is the share of women?",
            "No data were collected before 2010; since then the share is 41%.",
        ),
        ("Has the firm paid a dividend?", "The firm has not paid any dividends since 2015."),
    ],
)
def test_english_answers(query: str, answer: str) -> None:
    assert abstains(query, answer) is False
