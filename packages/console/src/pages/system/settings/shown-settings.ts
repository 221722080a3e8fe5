import type { System } from '../../../domain/system.ts'

export type Setting = System['settings'][number]

const EXPLICIT = new Set<string | undefined>(['flag', 'environment', 'file'])

/** Whether it was set explicitly. Without a known origin, any value other than the default counts as set. */
export function isChanged({ origin, isSet, hidden, value, ...setting }: Setting): boolean {
  if (origin !== null) return EXPLICIT.has(origin.kind)
  return hidden === null ? value !== setting.default : isSet && setting.default === null
}

interface Filter {
  readonly text: string
  readonly changedOnly: boolean
}

/** The settings whose names, values or help contain every word of the text, ignoring case. */
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

/** The value, or the reason why it is not shown. */
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

/** `flag --port`, `file /etc/hookline.yaml, port` */
export function originText(origin: Setting['origin']): string {
  if (origin === null) return 'unknown'
  const { kind, name, key } = origin
  return [[kind, name].filter(Boolean).join(' '), key].filter(Boolean).join(', ')
}
