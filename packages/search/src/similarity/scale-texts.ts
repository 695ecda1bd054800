/** Typical questions, each with a passage that answers it in other words. Used by `measureScale`. */
export const SCALE_TEXTS: readonly (readonly [query: string, passage: string])[] = [
  [
    "how much money we may spend",
    "The finance people came back to us. Whatever we order this quarter has to stay under twelve thousand, and that includes the licences. Anything above that needs a signature from upstairs.",
  ],
  [
    "who is joining the team",
    "Priya signed yesterday. She starts on the first and will sit with the mobile group for her first month, and then we see where she fits best.",
  ],
  [
    "reasons for the delay",
    "We're three weeks behind. The supplier shipped the wrong connectors, and by the time the right ones came the lab was booked by somebody else.",
  ],
  [
    "complaints from customers",
    "People keep writing in that the invoice shows the wrong address. Two of the big accounts were quite angry, and one asked for a refund.",
  ],
  [
    "what the prototype looks like",
    "It's about the size of a matchbox, rounded at the corners, and the shell is made of that soft rubber. The button is on top, where your thumb goes.",
  ],
  [
    "plans for the summer break",
    "I'm away for the last two weeks of July, and Tom takes August. So somebody has to look after the greenhouse in between.",
  ],
  [
    "why the website was down",
    "At nine the certificate ran out, and nothing could connect any more. Nobody had set a reminder. We renewed it by hand and it came back at ten past ten.",
  ],
  [
    "choice of a new supplier",
    "Of the three that made an offer, the one in Leeds is the cheapest, but they want to be paid in advance. I would go with the second, they deliver on time.",
  ],
  [
    "safety at work",
    "Someone slipped on the stairs again. Put up a handrail, and please wear the shoes we bought, that's what they're for.",
  ],
  [
    "results of the survey",
    "Four hundred answered. Most are happy with the opening hours, but half of them say that they can't find the entrance, and a third wouldn't recommend us.",
  ],
  [
    "school meals",
    "The kitchen can cook for ninety children at most. If the new class comes, we would have to eat in two shifts, or bring in food from outside.",
  ],
  [
    "privacy of patients",
    "Those records must not leave the building. If the researchers want them, names and dates of birth have to be taken out first, and the ethics board has to agree.",
  ],
  [
    "marketing campaign",
    "We put the posters up in the underground from Monday, and the short film goes out on the same day. The slogan is the one the agency liked.",
  ],
  [
    "noise in the recordings",
    "You hear the air conditioning all the time. With the microphones closer to the speakers and a filter below a hundred hertz, it got much better.",
  ],
  [
    "cost of energy",
    "The electricity bill doubled. If we put panels on the roof, it pays off in seven years, they say, and the bank would lend us the rest.",
  ],
  [
    "changes to the law",
    "From January on, every landlord has to show how well the house is insulated. The committee voted for it last night, with two against.",
  ],
  [
    "training for beginners",
    "The new ones don't know how to use the till. Let them watch for a day, and then somebody experienced stands beside them for the first week.",
  ],
  [
    "battery life",
    "It lasted eleven hours in our test, less when it's cold. If we dim the screen after a minute, we would get one more.",
  ],
  [
    "transport to the conference",
    "The train takes five hours and you have to change twice. Flying is quicker, but then we need a taxi at both ends, so I'd rather rent a van.",
  ],
  [
    "help for farmers",
    "After the flood many of them lost the harvest. The minister promised a fund, but so far nobody has seen any of it, and the sowing can't wait.",
  ],
  [
    "errors in the software",
    "When you press save twice, the second copy overwrites the first one. I could reproduce it on my laptop, and I think it's a lock that's released too early.",
  ],
  [
    "hiring freeze",
    "Until the end of the year nobody gets replaced who leaves. We asked for an exception for the night shift, and they said no.",
  ],
  [
    "speech recognition accuracy",
    "It gets one word in five wrong when two people talk at once. With the larger vocabulary it was a bit better, but children are still a problem.",
  ],
  [
    "decoration of the office",
    "Let's paint the wall behind the desk green and get some plants. The old carpet has to go, it smells.",
  ],
];
