/** Who signs receipts, so that they can be verified without this service. */
export interface Receipts {
  sign(document: object): object
}
