/** When write keys were last used: how an operator sees that nobody sends with an old one any more. */
export interface KeyUses {
  /** In milliseconds since the epoch, to the minute; `undefined` for a key that was never used. */
  lastUsedAt(key: string): number | undefined
  /** Said by `lastUsedAt` at once; durable when it resolves. */
  mark(key: string, at: number): Promise<void>
}
