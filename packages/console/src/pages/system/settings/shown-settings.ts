import type { System } from '../../../domain/system.ts'

export type Setting = System['settings'][number]

const SET_BY_HAND = new Set<string | undefined>(['flag', 'environment', 'file'])

/** Whether somebody has set it. Where the origin is not known, a value that is not the default tells. */
export function isChanged({ origin, isSet, hidden, value, ...setting }: Setting): boolean {
  if (origin !== null) return SET_BY_HAND.has(origin.kind)
  return hidden === null ? value !== setting.default : isSet && setting.default === null
}

interface Filter {
  readonly text: string
  readonly changedOnly: boolean
}

/** The settings that have all words of the text in their names, values or help, upper and lower case alike. */
export function matchingSettings(
  settings: readonly Setting[],
  { text, changedOnly }: Filter,
): readonly Setting[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter((each) => {
    if (changedOnly && !isChanged(each)) return false
    const content = [each.name, each.flag, each.variable, each.value, each.help]
      .join(' ')
      .toLowerCase()
    return words.every((word) => content.includes(word))
  })
}

/** What stands in the column of values: the value, or why there is none. */
export function valueOf({ hidden, isSet, value }: Setting): {
  readonly text: string
  readonly isValue: boolean
} {
  if (hidden !== null) {
    const why = hidden === 'secret' ? 'secret' : 'admins only'
    return { text: isSet ? `hidden: ${why}` : 'not set', isValue: false }
  }
  return value === null ? { text: 'not set', isValue: false } : { text: value, isValue: true }
}

/** Where the value comes from: `flag --port`, `file /etc/hookline.yaml, port`. */
export function originText(origin: Setting['origin']): string {
  if (origin === null) return 'unknown'
  const { kind, name, key } = origin
  return [[kind, name].filter(Boolean).join(' '), key].filter(Boolean).join(', ')
}
