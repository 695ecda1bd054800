/**
 * Lexemes used to ask about anything: "Summarize the discussion about …", "What did the group think of …". They don't
 * identify an answer and count only if the query has no other words. By text-search configuration; in a language
 * without a list all words count.
 */
export const QUESTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  english:
    "answer ask attitud comment conclud conclus decid decis describ descript discuss discussion elabor explain express group introduc member mention opinion respond respons said say state suggest summar summari talk team tell think thought view want accord concern regard relat".split(
      " ",
    ),
};

/** Words after which a question names the occasion: "What did she say about costs when they discussed the schedule?" */
export const OCCASION_WORDS: Readonly<Record<string, readonly string[]>> = { english: ["when", "while"] };
