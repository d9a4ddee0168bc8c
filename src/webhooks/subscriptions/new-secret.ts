export type RandomBytes = (size: number) => Buffer

/** `whsec_` and 32 random bytes in base64url, which needs no quoting in shells and URLs. */
export function newSecret(random: RandomBytes): string {
  return `whsec_${random(32).toString('base64url')}`
}
