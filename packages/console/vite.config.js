import { defineConfig } from 'vite'

const VENDOR = /node_modules\/(preact|urql|@urql|wonka|@0no-co|wouter|use-sync-external-store)\//

/** What starts to load the rest. */
const FIRST = /console\/src\/(main|routes|api\/(base|storage|reload))|regexparam|vite\/preload-helper/

/** What every page needs of this package. */
const SHARED =
  /console\/src\/(api|ui|shell)\/(?!chart|histogram|code-block|tabs|request-codes|client-code|service|amount|export|save)/

/** A chunk with all that it imports. */
function withImports(chunk, files, found = new Set()) {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const file of files) if (chunk.imports.includes(file.fileName)) withImports(file, files, found)
  return [...found]
}

/**
 * Loads what `main.ts` imports. The style sheets stand after the first line of the page, which is
 * shown before they are loaded. Scripts wait for style sheets.
 */
const loadRoot = {
  name: 'load-root',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle }) => {
      const files = Object.values(bundle ?? {})
      const root = files.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/root.tsx'))
      if (root === undefined) return html
      const scripts = withImports(root, files)
      const styles = new Set(scripts.flatMap(({ viteMetadata }) => [...viteMetadata.importedCss]))
      const links = [
        ...scripts
          .filter(({ fileName }) => !html.includes(fileName))
          .map(({ fileName }) => `<link rel="modulepreload" crossorigin href="./${fileName}">`),
        ...[...styles].map((name) => `<link rel="stylesheet" crossorigin href="./${name}">`),
      ]
      return html
        .replace(/ *<link rel="stylesheet".*\n/, '')
        .replace('<noscript>', `${links.join('\n    ')}\n    <noscript>`)
    },
  },
}

export default defineConfig({
  // Relative to <base>, so that the console works below any path.
  base: './',
  plugins: [loadRoot],
  // Preact has the interface of React, and is smaller.
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
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
            { name: 'first', test: FIRST },
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
