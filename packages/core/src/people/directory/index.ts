export { type Directory, getPerson, listPeople } from "./list-people.js";
export { mergePeople, renamePerson, unmergePerson } from "./merge.js";
export { settlePeople } from "./settle.js";
