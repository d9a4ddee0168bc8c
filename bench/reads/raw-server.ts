import { serveMeasured } from './measured-server.ts'
import { rawRoutes } from './raw-routes.ts'

const raw = rawRoutes({ connectionString: process.argv[2] })
serveMeasured(Number(new URL(await raw.listen({ port: 0 })).port))
