import { Client, escapeIdentifier } from 'pg'

/** How the tests reach PostgreSQL: DATABASE_URL, or the socket folder of the embedded server. */
export type Server = { url: string } | { host: string; user: string }

export function connectionTo(
  server: Server,
  database: string,
): { url: string } | { host: string; user: string; database: string } {
  if (!('url' in server)) return { ...server, database }
  const url = new URL(server.url)
  url.pathname = `/${database}`
  return { url: url.href }
}

export const databaseUrl = (connection: ReturnType<typeof connectionTo>): string =>
  'url' in connection
    ? connection.url
    : `postgresql:///${connection.database}?host=${encodeURIComponent(connection.host)}&user=${connection.user}`

export async function createDatabase(server: Server, name: string, template = 'template1'): Promise<void> {
  await administer(
    server,
    `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy file_copy`,
  )
}

export async function dropDatabase(server: Server, name: string): Promise<void> {
  await administer(server, `drop database if exists ${escapeIdentifier(name)} with (force)`)
}

async function administer(server: Server, sql: string): Promise<void> {
  const client =
    'url' in server
      ? new Client({ connectionString: server.url })
      : new Client({ ...server, database: 'postgres' })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
