export { sendAccessRequestMails } from "./mail-requests.js";
export { shareMeeting, shareTag, unshareMeeting, unshareTag } from "./share.js";
export { findColleagues, shareWithPeople } from "./share-with-people.js";
