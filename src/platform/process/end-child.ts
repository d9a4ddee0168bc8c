/**
 * Ends a child process of this process as fast as its data allows. It is called when the process
 * cannot stop in order.
 */
export type EndChild = () => Promise<void>
