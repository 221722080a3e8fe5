import { formatTimeSpan } from '@hookline/protocol'
import type { PresentedSetting } from './admin/system.ts'
import { type Config, flagOf, nameOf, type ResolvedConfig, variableOf } from './config.ts'
import { groupedSettings, type Setting, type SettingName, SETTINGS } from './settings.ts'
import { Redacted } from './util/secrets/redacted.ts'

/** The texts and origins of the values. An absent origin is unknown. */
export interface SettingTexts {
  readonly texts: ResolvedConfig['texts']
  readonly origins: Partial<ResolvedConfig['origins']>
}

/** Every setting as the management API shows it, without secrets. */
export function presentedSettings(config: Config, known?: SettingTexts): PresentedSetting[] {
  return groupedSettings().map(
    ([group, name, { doc, default: usual = null, secret, isLocation = false }]) => {
      const value = config[name]
      return {
        group,
        name: nameOf(name),
        flag: flagOf(name),
        variable: variableOf(name),
        value: secret ? null : (known?.texts[name] ?? textOf(name, value)),
        isSet: value !== undefined,
        default: usual,
        origin: known?.origins[name] ?? null,
        isSecret: secret ?? false,
        isLocation,
        help: doc,
      }
    },
  )
}

/** The text of a value, for programs that pass no texts. */
function textOf(name: SettingName, value: unknown): string | null {
  if (value === undefined || value instanceof Redacted) return null
  if (Array.isArray(value) || value instanceof Set)
    return [...value].map((each) => textOf(name, each)).join(',')
  const { default: usual, parse }: Setting = SETTINGS[name]
  if (usual !== undefined && parse(usual) === value) return usual
  if (typeof value !== 'number') return typeof value === 'string' ? value : null
  return name.endsWith('Ms') ? formatTimeSpan(value) : String(value)
}
