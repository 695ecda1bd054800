import type { BenchMeeting } from "./dataset.js";

/** Fictional German meetings of a bakery and its supplier, for `pnpm bench:search:german`. */
export const GERMAN_MEETINGS: readonly BenchMeeting[] = [
  {
    id: "backstube",
    title: "Wochenbesprechung der Backstube",
    date: "2026-03-02",
    segments: [
      {
        speaker: "Jana",
        text: "Der zweite Ofen heizt nicht mehr gleichmäßig. Hinten links werden die Brötchen schwarz.",
      },
      {
        speaker: "Erik",
        text: "Der Monteur war am Dienstag da. Er sagt, das Gebläse ist verschlissen, und ein neues kostet 1.400 Euro.",
      },
      {
        speaker: "Jana",
        text: "Dann bestellen wir es. Bis dahin backen wir die Brezeln nur im ersten Ofen und fangen um drei Uhr an.",
      },
      {
        speaker: "Erik",
        text: "Die Auszubildende kommt am ersten August. Sie braucht eine Arbeitskleidung und jemanden, der sie einweist.",
      },
      { speaker: "Jana", text: "Das übernimmt Mehmet. Er hat auch die letzten beiden angeleitet." },
      { speaker: "Mehmet", text: "Ich bin im Juli zwei Wochen in Urlaub, danach gern." },
    ],
  },
  {
    id: "laeden",
    title: "Treffen der Filialleitungen",
    date: "2026-03-09",
    segments: [
      {
        speaker: "Lena",
        text: "Am Samstag war um elf Uhr kein Roggenbrot mehr da. Die Leute sind ohne Einkauf gegangen.",
      },
      { speaker: "Oskar", text: "Bei uns blieb dagegen viel übrig. Wir haben vierzig Laibe weggeworfen." },
      {
        speaker: "Lena",
        text: "Wir sollten die Mengen jeden Abend melden, damit morgens nach Bedarf geliefert wird.",
      },
      {
        speaker: "Oskar",
        text: "Die Kasse in der Bahnhofstraße stürzt ab, sobald jemand mit Karte zahlt. Der Anbieter spielt am Montag eine neue Version ein.",
      },
      {
        speaker: "Lena",
        text: "Zwei Aushilfen haben gekündigt. Ich hänge einen Zettel ins Fenster und frage an der Hochschule.",
      },
      {
        speaker: "Oskar",
        text: "Die Häuser am Markt bekommen ein Gerüst. Unser Eingang ist dann von April bis Juni verdeckt.",
      },
    ],
  },
  {
    id: "mehl",
    title: "Gespräch mit der Mühle",
    date: "2026-03-16",
    segments: [
      {
        speaker: "Frau Krämer",
        text: "Der Weizen ist seit der Ernte um neun Prozent teurer geworden. Wir müssen die Preise zum April anheben.",
      },
      { speaker: "Jana", text: "Wenn wir uns für ein Jahr festlegen, bleibt es dann bei fünf Prozent?" },
      {
        speaker: "Frau Krämer",
        text: "Bei einer Abnahme von sechs Tonnen im Monat, ja. Gezahlt wird innerhalb von dreißig Tagen.",
      },
      { speaker: "Jana", text: "Die letzte Lieferung war feucht. Drei Säcke mussten wir zurückgeben." },
      {
        speaker: "Frau Krämer",
        text: "Das tut mir leid. Sie bekommen eine Gutschrift, und wir decken die Ladefläche künftig ab.",
      },
    ],
  },
  {
    id: "zahlen",
    title: "Vierteljahreszahlen",
    date: "2026-03-23",
    segments: [
      {
        speaker: "Herr Vogt",
        text: "Der Umsatz liegt bei 212.000 Euro, vier Prozent über dem Vorjahr. Der Gewinn ist trotzdem gesunken.",
      },
      { speaker: "Jana", text: "Das liegt am Strom. Die Rechnung hat sich fast verdoppelt." },
      {
        speaker: "Herr Vogt",
        text: "Eine Anlage auf dem Dach würde sich in sieben Jahren rechnen. Die Bank gibt uns dafür ein Darlehen.",
      },
      { speaker: "Erik", text: "Wir könnten auch nachts backen, wenn der Tarif günstiger ist." },
      {
        speaker: "Herr Vogt",
        text: "Das Finanzamt hat den Bescheid geschickt. Wir bekommen 3.100 Euro zurück.",
      },
    ],
  },
];

/** A question, the meeting that answers it, and words of the answer. */
export type GermanQuestion = readonly [question: string, meeting: string, words: string];

/** Ten questions with the meetings' words, mostly in other inflections. */
export const GERMAN_SAME_WORDS: readonly GermanQuestion[] = [
  ["Was kosten neue Gebläse?", "backstube", "1.400 Euro"],
  ["Wann kommen die Auszubildenden?", "backstube", "ersten August"],
  ["Öfen heizen ungleichmäßig", "backstube", "Hinten links"],
  ["Wie viele Roggenbrote fehlten am Samstag?", "laeden", "kein Roggenbrot"],
  ["abgestürzte Kassen", "laeden", "stürzt ab"],
  ["Gerüste vor dem Haus am Markt", "laeden", "bekommen ein Gerüst"],
  ["Preis des Weizens nach den Ernten", "mehl", "neun Prozent"],
  ["feuchte Lieferungen und zurückgegebener Sack", "mehl", "Drei Säcke"],
  ["Umsätze im Vergleich zu den Vorjahren", "zahlen", "212.000 Euro"],
  ["Darlehen der Banken für Anlagen auf Dächern", "zahlen", "Darlehen"],
];

/** Ten paraphrased questions. */
export const GERMAN_OTHER_WORDS: readonly GermanQuestion[] = [
  ["Wer bildet den Nachwuchs aus?", "backstube", "Mehmet"],
  ["Ersatzteil, das der Techniker empfiehlt", "backstube", "Monteur"],
  ["Ferien im Sommer", "backstube", "in Urlaub"],
  ["Lebensmittelverschwendung", "laeden", "vierzig Laibe"],
  ["Personalmangel und Stellenanzeige", "laeden", "gekündigt"],
  ["Bauarbeiten an der Fassade nebenan", "laeden", "Gerüst"],
  ["Mengenrabatt bei langer Vertragsdauer", "mehl", "fünf Prozent"],
  ["Reklamation wegen Nässe", "mehl", "feucht"],
  ["Energiekosten", "zahlen", "Strom"],
  ["Steuererstattung", "zahlen", "Finanzamt"],
];
