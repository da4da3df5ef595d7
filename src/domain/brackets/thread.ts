/** Characters of a message in the thread of a match. */
export const maxMessageLength = 2_000;
/** Images that one message can carry. */
export const maxScreenshots = 5;
