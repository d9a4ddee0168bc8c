/** Runs in the process of a variant: says its port, and its CPU time so far whenever it is asked. */
export function serveMeasured(port: number): void {
  process.send?.(port)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit(0))
}
