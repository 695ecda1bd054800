export { type Directory, getPerson, listPeople } from "./list-people.js";
export { mergePeople, unmergePerson, updatePerson } from "./merge.js";
export { settlePeople } from "./settle.js";
