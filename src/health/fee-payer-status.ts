/** The account that pays for sponsored transactions. */
export interface FeePayerStatus {
  /** Base-58. */
  readonly pubkey: string
  /** Whether it sponsors registrations now. False if its balance cannot be read. */
  enabled(): Promise<boolean>
}
