export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Splits pages into batches of at most `size`. No batch spans two pages. */
export async function* batchesOf<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  size: number,
): AsyncGenerator<Item[]> {
  for await (const page of pages) yield* chunksOf(page, size)
}
