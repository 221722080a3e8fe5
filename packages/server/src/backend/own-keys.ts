/** A key that the service makes for itself: `receipts` signs the receipts of deletions. */
export type OwnKeyName = 'receipts'

/** Keys that the service makes when they are first used, the same on all nodes. */
export interface OwnKeys {
  /** The key with this name. Where there is none, keeps the one that `make` returns; it is durable when this resolves. */
  keyOf(name: OwnKeyName, make: () => string): Promise<string>
}
