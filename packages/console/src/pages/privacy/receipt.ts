import { api } from '../../api/client.ts'

/** Saves the signed receipt of a deletion as a file. Indentation changes nothing: a verifier serialises the receipt anew. */
export async function downloadReceipt(id: string): Promise<void> {
  const signed = await api.getDeletion(id, { format: 'receipt' })
  const file = new Blob([`${JSON.stringify(signed, null, 2)}\n`], { type: 'application/json' })
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = `receipt-${id}.json`
  link.click()
  // The browser has taken the file over when it comes to the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
