declare module 'autocannon' {
  interface Result {
    errors: number
    non2xx: number
    requests: { average: number; total: number }
    latency: { p50: number; p99: number }
  }
  export default function autocannon(options: {
    url: string
    method?: 'GET' | 'POST'
    headers?: Record<string, string>
    body?: string
    connections: number
    duration: number
    overallRate?: number
    requests?: (
      | { setupRequest: (request: { path: string }) => { path: string } }
      | { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string }
    )[]
  }): Promise<Result>
}
