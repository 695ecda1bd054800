export { getPerson } from "./list-people.js";
export { settlePeople } from "./settle.js";
export { isPlaceholder, isUnconfirmed } from "./unconfirmed.js";
