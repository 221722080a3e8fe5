import type { Source } from '../../api/generated/management-client.ts'

/** When a key of the source was last used. ISO 8601 times in UTC sort as text. */
export function lastUseOf({ writeKeys }: Pick<Source, 'writeKeys'>): string | undefined {
  return writeKeys
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted()
    .at(-1)
}

/** The sources whose name, id or write key contains every word of the text. */
export function matchingSources(sources: readonly Source[], text: string): readonly Source[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return sources.filter(({ name, id, writeKeys }) => {
    const content = [name, id, ...writeKeys.map(({ key }) => key)].join(' ').toLowerCase()
    return words.every((word) => content.includes(word))
  })
}
