/** An answer with status 200 as its client gets it. */
export interface Answer {
  readonly body: Buffer
  readonly mediaType: string
  readonly tag: string
}

/** What an entry takes beside its body and its key: the objects that hold them, roughly. */
const OVERHEAD_BYTES = 512

interface Kept<Label> {
  readonly answer: Answer
  readonly label: Label
  readonly bytes: number
}

/** Answers by key, each with a label, up to a number of bytes; those not used for longest are dropped first. */
export class KeptAnswers<Label> {
  readonly #entries = new Map<string, Kept<Label>>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#entries.size
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  get(key: string): { answer: Answer; label: Label } | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  set(key: string, answer: Answer, label: Label): void {
    this.#drop(key)
    const bytes = answer.body.byteLength + 2 * key.length + OVERHEAD_BYTES
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { answer, label, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
