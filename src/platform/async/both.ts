/** Unlike Promise.all, settles when both have, so that nothing is still under way while the rest is torn down. */
export async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}
