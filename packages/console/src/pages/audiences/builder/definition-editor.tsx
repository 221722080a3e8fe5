import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { counted } from '../../../format/figures.ts'
import { type DefinitionDraft, withDraft, withText } from '../draft/definition-draft.ts'
import { faultsIn, type PartFault } from '../draft/faults.ts'
import type { ComputationKind } from '../record/computation-kind.ts'
import { BuilderContext } from './builder-context.ts'
import { FaultList } from './fault-list.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { useBuilderContent } from './use-builder-content.ts'
import { usePreview } from './use-preview.ts'
import { writingOf } from './writing.ts'

interface DefinitionEditorProps {
  readonly kind: ComputationKind
  readonly space: string
  /** The id of the record that is changed; undefined for a new one. */
  readonly ownId?: string
  readonly value: DefinitionDraft<unknown>
  readonly onChange: (value: DefinitionDraft<unknown>) => void
  /** What the service said when this definition was to be stored. */
  readonly faults: readonly PartFault[]
  /** `json`: written as JSON. */
  readonly form: 'inputs' | 'json'
  readonly onForm: (form: 'inputs' | 'json') => void
}

/** A definition with inputs or as JSON, in words, and with its live preview. */
export function DefinitionEditor(props: DefinitionEditorProps): ReactElement {
  const { kind, space, ownId, value, form, onForm } = props
  const { notation } = writingOf(kind)
  const unfinished = value.draft === undefined ? 0 : notation.unfinishedIn(value.draft)
  const preview = usePreview(kind, space, unfinished > 0 ? undefined : value.json)
  const found = preview.error === null || preview.isOff ? [] : problemOf(preview.error).errors
  const faults = distinct([...props.faults, ...found])
  const content = useBuilderContent(space, ownId, faults)
  return (
    <BuilderContext value={content}>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Panel
          title={kind.definition === 'condition' ? 'Who belongs to it' : 'How it is made'}
          actions={<FormSwitch form={form} onForm={onForm} />}
        >
          <div className="flex flex-col gap-3">
            <Words {...props} nameOf={content.nameOf} />
            {form === 'json' ? <JsonForm {...props} faults={faults} /> : <InputsForm {...props} />}
          </div>
        </Panel>
        <div className="lg:sticky lg:top-16">
          <PreviewPanel
            kind={kind}
            definition={value.json}
            preview={preview}
            space={space}
            waitsFor={waitingWords(value, unfinished)}
          />
        </div>
      </div>
    </BuilderContext>
  )
}

function waitingWords(
  { json, draft }: DefinitionDraft<unknown>,
  unfinished: number,
): string | undefined {
  if (json === undefined) return 'The text is no JSON yet.'
  if (draft === undefined || unfinished === 0) return undefined
  return `${counted(unfinished, 'part')} ${unfinished === 1 ? 'is' : 'are'} not filled in yet. Then users are counted here.`
}

function FormSwitch({
  form,
  onForm,
}: Pick<DefinitionEditorProps, 'form' | 'onForm'>): ReactElement {
  const other = form === 'json' ? 'inputs' : 'json'
  return (
    <Button look="quiet" onClick={() => onForm(other)}>
      {other === 'json' ? 'Write JSON' : 'Use the builder'}
    </Button>
  )
}

interface WordsProps extends Pick<DefinitionEditorProps, 'kind' | 'value'> {
  readonly nameOf: (id: string) => string | undefined
}

function Words({ kind, value, nameOf }: WordsProps): ReactElement | null {
  const { wordsOf, opening } = writingOf(kind)
  if (value.draft === undefined) return null
  return (
    <p className="text-ink-soft" data-testid="words">
      {opening}
      <span className="text-ink font-medium">{wordsOf(value.draft, nameOf)}</span>
    </p>
  )
}

function InputsForm({ kind, value, onChange }: DefinitionEditorProps): ReactElement {
  const { notation, Inputs } = writingOf(kind)
  if (value.draft === undefined)
    return (
      <p className="text-ink-soft">
        The builder cannot show this JSON without changing it. Write on in the JSON, where the
        preview says what is wrong.
      </p>
    )
  return (
    <Inputs
      draft={value.draft}
      pointer={`/${kind.definition}`}
      onChange={(draft) => onChange(withDraft(notation, draft))}
    />
  )
}

const MOST_ROWS = 24
const LEAST_ROWS = 8

function JsonForm({ kind, value, onChange, faults }: DefinitionEditorProps): ReactElement {
  const pointer = `/${kind.definition}`
  const found = faultsIn(faults, pointer)
  return (
    <>
      <Field
        label={`The ${kind.definitionWord} as JSON`}
        hint={value.json === undefined ? undefined : 'The builder shows the same.'}
        fault={value.json === undefined ? 'This is no JSON yet.' : undefined}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(MOST_ROWS, Math.max(LEAST_ROWS, value.text.split('\n').length + 1))}
            value={value.text}
            onChange={({ target }) => onChange(withText(writingOf(kind).notation, target.value))}
          />
        )}
      </Field>
      <FaultList
        faults={found.map((each) => ({
          ...each,
          message: `At ${each.pointer.slice(pointer.length) || 'the beginning'}: ${each.message}`,
        }))}
      />
    </>
  )
}

function distinct(faults: readonly PartFault[]): readonly PartFault[] {
  const keyed = faults.map((each) => [`${each.pointer} ${each.message}`, each] as const)
  return [...new Map(keyed).values()]
}
