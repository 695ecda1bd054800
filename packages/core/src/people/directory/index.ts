export { settlePeople } from "./settle.js";
