import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const VENDOR =
  /node_modules\/(react|react-dom|scheduler|urql|@urql|wonka|@0no-co|wouter|regexparam|use-sync-external-store)\/|rolldown\/runtime/

/** What every page needs of this package. */
const SHARED =
  /console\/src\/(api|ui|shell)\/(?!chart|histogram|code-block|tabs|request-codes|client-code|service|amount|export|save)|vite\/preload-helper/

export default defineConfig({
  // Relative to <base>, so that the console works below any path.
  base: './',
  plugins: [react()],
  build: {
    target: 'es2023',
    // A policy without `unsafe-inline` and `data:` scripts needs every file as a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One file each for what every page needs: divided by use, they would be larger.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'vendor', test: VENDOR },
            { name: 'shared', test: SHARED },
          ],
        },
      },
    },
  },
  // `npm run dev -w @agent-registry/console` beside `npm start`.
  server: {
    proxy: Object.fromEntries(
      ['/graphql', '/auth', '/agents', '/relay', '/webhooks', '/info', '/stakes', '/sponsor'].map((path) => [
        path,
        { target: process.env.GATEWAY ?? 'http://127.0.0.1:3000', ws: path === '/graphql' },
      ]),
    ),
  },
})
