/**
 * Lexemes with which people ask, in any question and about anything: "Summarize the discussion about …", "What did
 * the group think of …". They say nothing about where the answer is, unless nothing else was asked for. By
 * text-search configuration; a language without a list keeps all its words.
 */
export const SCAFFOLD: Readonly<Record<string, readonly string[]>> = {
  english:
    "answer ask attitud comment conclud conclus decid decis describ descript discuss discussion elabor explain express group introduc member mention opinion respond respons said say state suggest summar summari talk team tell think thought view want accord concern regard relat".split(
      " ",
    ),
};

/** Words after which a question names the occasion: "What did she say about costs when they discussed the schedule?" */
export const OCCASION: Readonly<Record<string, readonly string[]>> = { english: ["when", "while"] };
