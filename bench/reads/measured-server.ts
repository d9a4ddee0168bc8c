/**
 * Runs in the process of a variant. Reports its port, and its CPU time whenever the parent asks.
 */
export function serveMeasured(port: number): void {
  process.send?.(port)
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.once('disconnect', () => process.exit(0))
}
