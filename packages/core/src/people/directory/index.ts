export { getPerson } from "./list-people.js";
export { settlePeople } from "./settle.js";
export { isUnconfirmed } from "./unconfirmed.js";
