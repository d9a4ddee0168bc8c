declare module 'jsonld' {
  interface RemoteDocument {
    contextUrl: string | null
    documentUrl: string
    document: unknown
    tag?: 'static'
  }

  type DocumentLoader = (url: string) => Promise<RemoteDocument>

  interface CanonizeOptions {
    safe: true
    base: string | null
    rdfDirection: 'i18n-datatype'
    documentLoader: DocumentLoader
    canonizeOptions: { maxWorkFactor: number }
  }

  const jsonld: {
    /** N-Quads in the canonical form of RDFC-1.0. */
    canonize(document: object, options: CanonizeOptions): Promise<string>
    documentLoader: DocumentLoader
  }
  export default jsonld
}
