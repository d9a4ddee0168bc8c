export type RandomBytes = (size: number) => Buffer

const SECRET_BYTES = 33

/**
 * `whsec_` and 33 random bytes in base64. Bytes whose text has `+` or `/` are drawn again, so the
 * text needs no quoting in shells and URLs, and decoders of both alphabets of base64 accept it.
 */
export function newSecret(random: RandomBytes): string {
  for (;;) {
    const text = random(SECRET_BYTES).toString('base64')
    if (!/[+/]/.test(text)) return `whsec_${text}`
  }
}
