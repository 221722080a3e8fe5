import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import type { ComputeDraft } from '../draft/compute-draft.ts'
import type { ConditionTree } from '../draft/condition-tree.ts'
import { type DefinitionDraft, withDraft, withText } from '../draft/definition-draft.ts'
import type { ComputationKind } from '../record/computation-kind.ts'
import { BuilderContext, useBuilderContent } from './builder-context.ts'
import { ComputeInputs } from './compute-inputs.tsx'
import { ConditionInputs } from './condition-inputs.tsx'
import { FaultList, faultsIn, type PartFault } from './fault-list.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { usePreview } from './use-preview.ts'

interface DefinitionEditorProps {
  readonly kind: ComputationKind
  readonly space: string
  /** The id of the record; absent for a new one. */
  readonly ownId?: string
  readonly value: DefinitionDraft<unknown>
  readonly onChange: (value: DefinitionDraft<unknown>) => void
  /** Why saving this value failed, or `null`. */
  readonly error: unknown
}

/** Edits a definition in the builder or as JSON, with a live preview. */
export function DefinitionEditor(props: DefinitionEditorProps): ReactElement {
  const { kind, space, ownId, value, error } = props
  const [{ form }, setUrl] = useUrlState<'form'>()
  const isJson = form === 'json'
  const isComplete = value.draft === undefined || kind.notation.isComplete(value.draft)
  const preview = usePreview(kind, space, isComplete ? value.json : undefined)
  const previewError = isComplete && value.json !== undefined ? preview.error : null
  const faults = faultsOf([error, previewError])
  const content = useBuilderContent(space, ownId, faults)
  return (
    <BuilderContext value={content}>
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Panel
          title={kind.definitionLabel}
          actions={
            <Button look="quiet" onClick={() => setUrl({ form: isJson ? undefined : 'json' })}>
              {isJson ? 'Use builder' : 'Edit as JSON'}
            </Button>
          }
        >
          <div className="flex flex-col gap-3">
            {value.draft !== undefined && (
              <p className="font-medium">{kind.notation.wordsOf(value.draft, content.nameOf)}</p>
            )}
            {isJson ? <JsonInput {...props} faults={faults} /> : <Builder {...props} />}
          </div>
        </Panel>
        <div className="lg:sticky lg:top-16">
          <PreviewPanel
            kind={kind}
            space={space}
            definition={value.json}
            isComplete={isComplete}
            preview={preview}
          />
        </div>
      </div>
    </BuilderContext>
  )
}

function Builder({ kind, value, onChange }: DefinitionEditorProps): ReactElement {
  const { draft } = value
  const change = (next: unknown): void => onChange(withDraft(kind.notation, next))
  if (draft === undefined)
    return <p className="text-ink-soft">The builder cannot show this. Edit it as JSON.</p>
  return kind.definition === 'condition' ? (
    <ConditionInputs draft={draft as ConditionTree} onChange={change} />
  ) : (
    <ComputeInputs draft={draft as ComputeDraft} onChange={change} />
  )
}

const MIN_ROWS = 8
const MAX_ROWS = 24

interface JsonInputProps extends DefinitionEditorProps {
  readonly faults: readonly PartFault[]
}

function JsonInput({ kind, value, onChange, faults }: JsonInputProps): ReactElement {
  const pointer = `/${kind.definition}`
  return (
    <>
      <Field
        label={`${kind.definitionLabel} as JSON`}
        fault={value.json === undefined ? 'Invalid JSON.' : undefined}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, value.text.split('\n').length + 1))}
            value={value.text}
            onChange={({ target }) => onChange(withText(kind.notation, target.value))}
          />
        )}
      </Field>
      <FaultList
        faults={faultsIn(faults, pointer).map((each) => ({
          ...each,
          message: `${each.pointer.slice(pointer.length) || '/'}: ${each.message}`,
        }))}
      />
    </>
  )
}

/** The distinct faults in these errors. */
function faultsOf(errors: readonly unknown[]): readonly PartFault[] {
  const faults = errors.flatMap((each) => (each === null ? [] : problemOf(each).errors))
  return [...new Map(faults.map((each) => [`${each.pointer} ${each.message}`, each])).values()]
}
