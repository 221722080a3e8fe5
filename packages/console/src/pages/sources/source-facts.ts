import type { Source } from '@hookline/cli/management-client'

/** The sources whose name contains every word of the text, or whose id or write key contains the text. */
export function matchingSources<Found extends Pick<Source, 'id' | 'name' | 'writeKeys'>>(
  sources: readonly Found[],
  text: string,
): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const whole = text.trim()
  return sources.filter(({ name, id, writeKeys }) => {
    const named = name.toLowerCase()
    if (words.every((word) => named.includes(word))) return true
    return id.includes(whole) || writeKeys.some(({ key }) => key.includes(whole))
  })
}
