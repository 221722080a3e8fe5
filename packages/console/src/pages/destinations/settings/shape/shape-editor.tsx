import { FORMATS, type Sample, SAMPLE_FIELDS, WEBHOOK_METHODS } from '@hookline/protocol'
import type { ComponentProps, ReactElement } from 'react'
import { Button } from '../../../../design/controls/button.tsx'
import { Icon } from '../../../../design/icon.tsx'
import {
  BuilderContext,
  useBuilder,
  useSuggestions,
} from '../../../../domain/conditions/builder/builder-context.ts'
import { DefinitionInputs } from '../../../../domain/conditions/builder/definition-inputs.tsx'
import {
  ErrorList,
  errorsIn,
  type PartError,
} from '../../../../domain/conditions/builder/error-list.tsx'
import { InlineInput, InlineSelect } from '../../../../domain/conditions/builder/inline-input.tsx'
import type { Suggestions } from '../../../../domain/conditions/draft/suggestions.ts'
import type { DefinitionDraft } from '../../../../domain/conditions/draft/definition-draft.ts'
import type { DestinationProps } from '../../../../domain/destinations/destination-query.ts'
import { shapeError } from '../routing-draft.ts'
import {
  FORMAT_WORDS,
  newRule,
  type Rule,
  type RuleDraft,
  type ShapeDraft,
  SHAPES,
} from './shape-draft.ts'

interface ShapeEditorProps extends DestinationProps {
  readonly value: DefinitionDraft<ShapeDraft>
  readonly onChange: (value: DefinitionDraft<ShapeDraft>) => void
  /** The errors from saving. */
  readonly errors: readonly PartError[]
}

/** Edits the sample, the field rules, the format and the method, as inputs or as JSON. */
export function ShapeEditor(props: ShapeEditorProps): ReactElement {
  const { destination, value, onChange, errors } = props
  const local = shapeError(value.json)
  const content = {
    errors: [
      ...(local === undefined ? [] : [{ pointer: '', code: 'invalid', message: local, hint: '' }]),
      ...['/sample', '/fields', '/format', '/method'].flatMap((pointer) =>
        errorsIn(errors, pointer),
      ),
    ],
    suggestions: useSuggestions({
      sourceId: destination.sourceId,
      isUsed: value.draft !== undefined && value.draft.rules.length > 0,
    }),
    nameOf: () => undefined,
  }
  return (
    <section aria-label={TITLE} className="flex flex-col gap-3">
      <h3 className="font-semibold">{TITLE}</h3>
      <BuilderContext value={content}>
        <DefinitionInputs
          notation={SHAPES}
          label={TITLE}
          pointer=""
          value={value}
          onChange={onChange}
        >
          {(draft, change) => <ShapeInputs draft={draft} onChange={change} />}
        </DefinitionInputs>
      </BuilderContext>
    </section>
  )
}

const TITLE = 'Users, fields and format'

interface ShapeInputsProps {
  readonly draft: ShapeDraft
  readonly onChange: (draft: ShapeDraft) => void
}

function ShapeInputs({ draft, onChange }: ShapeInputsProps): ReactElement {
  const { errors } = useBuilder()
  const { rules, format, method } = draft
  const replace = (id: string, by: readonly RuleDraft[]): void =>
    onChange({ ...draft, rules: rules.flatMap((each) => (each.id === id ? by : [each])) })
  return (
    <div className="flex flex-col gap-2">
      <SampleInputs draft={draft} onChange={onChange} />
      {rules.map((each) => (
        <RuleInputs
          key={each.id}
          value={each}
          onChange={(next) => replace(each.id, [next])}
          onRemove={() => replace(each.id, [])}
        />
      ))}
      <Button
        className="self-start"
        onClick={() => onChange({ ...draft, rules: [...rules, newRule()] })}
      >
        <Icon name="plus" className="size-3" /> Remove or hash a field
      </Button>
      <LabelledSelect
        label="Format"
        value={format ?? 'hookline'}
        options={FORMATS.map((each) => [each, FORMAT_WORDS[each]] as const)}
        onPick={(next) => onChange({ ...draft, format: next === 'hookline' ? null : next })}
      />
      <LabelledSelect
        label="Method"
        value={method ?? 'POST'}
        options={WEBHOOK_METHODS.map((each) => [each, each] as const)}
        onPick={(next) => onChange({ ...draft, method: next === 'POST' ? null : next })}
      />
      <ErrorList errors={errors} />
    </div>
  )
}

function LabelledSelect<Value extends string>(
  props: ComponentProps<typeof InlineSelect<Value>>,
): ReactElement {
  return (
    <label className="flex flex-wrap items-center gap-2">
      <span className="text-dense font-medium">{props.label}</span>
      <InlineSelect {...props} />
    </label>
  )
}

const SAMPLING = [
  ['all', 'none'],
  ['sample', 'a percentage'],
] as const

const BY = SAMPLE_FIELDS.map((each): readonly [Sample['by'], string] => [each, each])

function SampleInputs({ draft, onChange }: ShapeInputsProps): ReactElement {
  const { sample } = draft
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-dense font-medium">Sampling</span>
      <InlineSelect
        label="Sampling"
        value={sample === null ? 'all' : 'sample'}
        options={SAMPLING}
        onPick={(next) =>
          onChange({ ...draft, sample: next === 'all' ? null : { percent: '10', by: null } })
        }
      />
      {sample !== null && (
        <>
          <span className="flex items-center gap-1">
            <InlineInput
              label="Percentage"
              inputMode="decimal"
              size="short"
              value={sample.percent}
              onChange={(percent) => onChange({ ...draft, sample: { ...sample, percent } })}
            />
            %
          </span>
          <span className="text-ink-soft">by</span>
          <InlineSelect
            label="Chosen by"
            value={sample.by ?? 'userId'}
            options={BY}
            onPick={(by) => onChange({ ...draft, sample: { ...sample, by } })}
          />
        </>
      )}
    </div>
  )
}

const RULES: readonly (readonly [Rule, string])[] = [
  ['drop', 'remove'],
  ['hash', 'hash'],
  ['email', 'hash as email'],
  ['keep', 'keep only'],
]

interface RuleInputsProps {
  readonly value: RuleDraft
  readonly onChange: (value: RuleDraft) => void
  readonly onRemove: () => void
}

function RuleInputs({ value, onChange, onRemove }: RuleInputsProps): ReactElement {
  const { suggestions } = useBuilder()
  return (
    <div role="group" aria-label="Field" className="flex flex-wrap items-center gap-2">
      <InlineSelect
        label="Rule"
        value={value.rule}
        options={RULES}
        onPick={(rule) => onChange({ ...value, rule })}
      />
      <span className="flex min-w-48 flex-1 items-center gap-2">
        <InlineInput
          label="Path, such as traits.email"
          autoFocus={value.path === ''}
          value={value.path}
          suggestions={pathsIn(suggestions)}
          onChange={(path) => onChange({ ...value, path })}
        />
        <Button variant="quiet" className="px-1.5" aria-label="Remove rule" onClick={onRemove}>
          <Icon name="cross" className="size-3" />
        </Button>
      </span>
    </div>
  )
}

function pathsIn({ traits, properties, context }: Suggestions): readonly string[] {
  const below = (name: string, paths: readonly string[]): readonly string[] =>
    paths.map((path) => `${name}.${path}`)
  return [
    'userId',
    'anonymousId',
    ...below('traits', traits),
    ...below('properties', properties),
    ...below('context', context),
  ]
}
