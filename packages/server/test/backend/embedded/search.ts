import type { Backend } from '../../../src/backend/backend.ts'

/** Lists all pages of events that contain the given text. */
export async function search(
  { events }: Backend,
  text: string,
): Promise<{ found: number; pages: number }> {
  const result = { found: 0, pages: 0 }
  for (let cursor: string | null | undefined; cursor !== null; result.pages++) {
    const page = await events.list({ text }, { limit: 10, ...(cursor && { cursor }) })
    result.found += page.data.length
    cursor = page.nextCursor
  }
  return result
}
