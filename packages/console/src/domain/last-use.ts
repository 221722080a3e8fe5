import type { Source } from '@hookline/cli/management-client'

/** When a key of the source was last used. ISO 8601 times in UTC sort as text. */
export function lastUseOf({ writeKeys }: Pick<Source, 'writeKeys'>): string | undefined {
  return writeKeys
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted()
    .at(-1)
}
