import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'

/** The text that is sealed in a column; `undefined` where the column is damaged, or its key is not in the box. */
export function openedText(box: SecretBox, sealed: string, label: string): string | undefined {
  try {
    return box.open(sealed, label)
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined
    throw error
  }
}
