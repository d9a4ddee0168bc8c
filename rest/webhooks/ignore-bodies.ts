import type { RestApp } from '../rest-app.ts'

/** For routes that need no body: many clients send `{}` or an empty one labelled as JSON all the same. */
export function ignoreBodies(app: RestApp): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null))
    payload.on('error', done)
  })
}
