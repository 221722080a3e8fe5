import { LIMIT_SETTINGS, limitsText } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { errorIn } from '../../../api/problem.ts'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { systemQuery } from '../../../domain/system.ts'
import { shownText } from '../../../format/shown-text.ts'
import { LIMIT_FIELDS, type LimitsDraft, requestedLimits } from './limits-draft.ts'

interface LimitsEditorProps {
  readonly limits: LimitsDraft
  /** The JSON Pointer of the limits in errors from the service. */
  readonly pointer: string
  readonly error: unknown
  readonly onChange: (limits: LimitsDraft) => void
}

/** Limits of one webhook, collapsed until opened or until there is an error. Without a limit, the service's setting applies. */
export function LimitsEditor(props: LimitsEditorProps): ReactElement {
  const { limits, pointer, error, onChange } = props
  const { data } = useQuery(systemQuery)
  const requested = requestedLimits(limits)
  const valueOf = (setting: string): string | null | undefined =>
    data?.settings.find(({ name }) => name === setting)?.value
  return (
    <details open={errorIn(error, pointer) !== undefined}>
      <summary className="text-accent text-dense">
        Limits{requested && `: ${shownText(limitsText(requested))}`}
      </summary>
      <div className="grid gap-3 pt-2 sm:grid-cols-2">
        {LIMIT_FIELDS.map(({ name, label, example }) => (
          <Field
            key={name}
            label={label}
            hint={hintOf(LIMIT_SETTINGS[name], valueOf)}
            fieldError={errorIn(error, `${pointer}/${name}`)}
          >
            {(ids) => (
              <TextInput
                {...ids}
                placeholder={example}
                value={limits[name]}
                onChange={({ target }) => onChange({ ...limits, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  )
}

function hintOf(
  setting: string | null,
  valueOf: (setting: string) => string | null | undefined,
): string {
  if (setting === null) return 'Default: none'
  const value = valueOf(setting)
  return value ? `Default: ${value}, from ${setting}` : `Default: the ${setting} setting`
}
