import type { ReactElement } from 'react'
import { InlineInput, InlineSelect } from '../../../domain/conditions/builder/inline-input.tsx'
import { TimeInput } from '../../../domain/conditions/builder/value-input.tsx'
import { DURATION_UNITS, type DurationUnit, type WindowDraft } from '../draft/events-draft.ts'

const KINDS = [
  ['ever', 'at any time'],
  ['within', 'in the last'],
  ['between', 'between'],
] as const satisfies readonly (readonly [WindowDraft['kind'], string])[]

const NEW: Readonly<Record<WindowDraft['kind'], WindowDraft>> = {
  ever: { kind: 'ever' },
  within: { kind: 'within', n: '30', unit: 'days' },
  between: { kind: 'between', from: '', to: '' },
}

interface WindowInputsProps {
  readonly window: WindowDraft
  readonly onChange: (window: WindowDraft) => void
}

export function WindowInputs({ window, onChange }: WindowInputsProps): ReactElement {
  return (
    <>
      <InlineSelect
        label="When"
        value={window.kind}
        options={KINDS}
        onPick={(kind) => onChange(NEW[kind])}
      />
      {window.kind === 'within' && (
        <span className="flex items-center gap-2">
          <InlineInput
            label="Duration"
            inputMode="numeric"
            size="short"
            value={window.n}
            onChange={(n) => onChange({ ...window, n })}
          />
          <InlineSelect
            label="Unit"
            value={window.unit}
            options={DURATION_UNITS.map((unit): [DurationUnit, string] => [unit, unit])}
            onPick={(unit) => onChange({ ...window, unit })}
          />
        </span>
      )}
      {window.kind === 'between' && (
        <>
          <TimeInput
            label="From (UTC)"
            value={window.from}
            onChange={(from) => onChange({ ...window, from })}
          />
          <span>and</span>
          <TimeInput
            label="Before (UTC)"
            value={window.to}
            onChange={(to) => onChange({ ...window, to })}
          />
        </>
      )}
    </>
  )
}
