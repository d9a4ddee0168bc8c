/** Ends a child process as fast as its data allows, when this one cannot stop in order. */
export type EndChild = () => Promise<void>
