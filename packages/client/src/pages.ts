/** The entries of all pages. `.page()` reads one page. */
export interface Listing<Item, Page> extends AsyncIterable<Item> {
  /** The page at `offset` (0 by default) with its `total`. */
  page(offset?: number): Promise<Page>
}

/** The most that a page can have. */
const PAGE_SIZE = 200

/** Reads pages one after the other while they are iterated. */
export function listing<Item, Page extends { readonly limit: number }>(
  read: (page: { limit: number; offset: number }) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
  { limit, offset = 0 }: { readonly limit?: number; readonly offset?: number } = {},
): Listing<Item, Page> {
  return {
    page: (start = offset) => read({ limit: limit ?? 50, offset: start }),
    async *[Symbol.asyncIterator]() {
      for (let start = offset; ;) {
        const page = await read({ limit: limit ?? PAGE_SIZE, offset: start })
        const items = itemsOf(page)
        yield* items
        if (items.length < page.limit) return
        start += items.length
      }
    },
  }
}
