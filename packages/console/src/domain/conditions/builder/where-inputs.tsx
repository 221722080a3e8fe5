import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import { hasPath, newWhere, type Subject, type WhereDraft } from '../draft/where-draft.ts'
import { useBuilder } from './builder-context.ts'
import { ComparisonInputs } from './comparison-inputs.tsx'
import { InlineInput, InlineSelect } from './inline-input.tsx'
import { SmallButton } from './part-buttons.tsx'

interface WhereInputsProps {
  readonly where: readonly WhereDraft[] | null
  readonly onChange: (where: readonly WhereDraft[] | null) => void
  /** The values to choose from. */
  readonly subjects: readonly Subject[]
}

/** Comparisons with values of the event. */
export function WhereInputs({ where, onChange, subjects }: WhereInputsProps): ReactElement | null {
  if (where === null) return null
  const replace = (id: string, by: readonly WhereDraft[]): void => {
    const next = where.flatMap((each) => (each.id === id ? by : [each]))
    onChange(next.length === 0 ? null : next)
  }
  return (
    <div className="flex basis-full flex-col gap-2">
      {where.map((each, index) => (
        <Comparison
          key={each.id}
          join={index === 0 ? 'where' : 'and'}
          subjects={subjects}
          value={each}
          onChange={(next) => replace(each.id, [next])}
          onRemove={() => replace(each.id, [])}
        />
      ))}
    </div>
  )
}

interface AddWhereButtonProps extends Omit<WhereInputsProps, 'subjects'> {
  readonly subject: Subject
  readonly label: string
  readonly className?: string
}

export function AddWhereButton(props: AddWhereButtonProps): ReactElement {
  const { where, onChange, subject, label, className } = props
  return (
    <SmallButton
      className={className}
      onClick={() => onChange([...(where ?? []), newWhere(subject)])}
    >
      <Icon name="plus" className="size-3" /> {label}
    </SmallButton>
  )
}

const PATHS = {
  property: ['Property', 'properties'],
  trait: ['Trait name', 'traits'],
  context: ['Context path', 'context'],
} as const

interface ComparisonProps {
  readonly join: 'where' | 'and'
  readonly subjects: readonly Subject[]
  readonly value: WhereDraft
  readonly onChange: (value: WhereDraft) => void
  readonly onRemove: () => void
}

function Comparison(props: ComparisonProps): ReactElement {
  const { join, subjects, value, onChange, onRemove } = props
  const { suggestions } = useBuilder()
  const { subject, path, comparison } = value
  const [label, suggested] = hasPath(subject) ? PATHS[subject] : []
  return (
    <div role="group" aria-label="Filter" className="flex flex-wrap items-center gap-2">
      <span className="text-ink-soft min-w-11">{join}</span>
      {subjects.length > 1 && (
        <InlineSelect
          label="Compare"
          value={subject}
          options={subjects.map((each) => [each, each] as const)}
          onPick={(next) => onChange({ ...value, subject: next, path: hasPath(next) ? path : '' })}
        />
      )}
      {label !== undefined && (
        <InlineInput
          label={label}
          autoFocus={path === ''}
          value={path}
          suggestions={suggestions[suggested]}
          onChange={(next) => onChange({ ...value, path: next })}
        />
      )}
      <ComparisonInputs
        comparison={comparison}
        onChange={(next) => onChange({ ...value, comparison: next })}
      />
      <Button variant="quiet" className="px-1.5" aria-label="Remove filter" onClick={onRemove}>
        <Icon name="cross" className="size-3" />
      </Button>
    </div>
  )
}
