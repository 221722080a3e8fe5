/** A copy of everything kept, in a file that goes when it is disposed of. */
export interface DatabaseCopy extends AsyncDisposable {
  readonly file: string
}
