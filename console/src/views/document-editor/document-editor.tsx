import '../../styles/document-editor.css'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { type ContractForm, useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Notice } from '../../components/notice.tsx'
import { Time } from '../../components/time.tsx'
import type { DocumentWithText } from '../../data/documents.ts'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { DocumentConflict } from './document-conflict.tsx'
import type { DocumentValues } from './unsaved.ts'
import { useDocumentEdit } from './use-document-edit.ts'
import { useFirstValues, useKeptText, useUnsavedKey } from './use-unsaved.ts'
import { listContentTypes, markdown, newValues, toContent, toValues } from './values.ts'
import { WritingArea } from './writing-area.tsx'

type DocumentForm = ContractForm<DocumentValues>

const Details = ({ form, isNew, contentType }: { form: DocumentForm; isNew: boolean; contentType: string }) => (
  <div className="document-details">
    <form.Text
      label="Title"
      name="title"
      autoComplete="off"
      placeholder={contentType === markdown ? 'The first heading, if you leave it empty' : undefined}
    />
    {isNew && (
      <form.Text
        label="Id"
        name="id"
        isMono
        autoComplete="off"
        spellCheck={false}
        placeholder="Optional: handbook/on-call.md"
      />
    )}
    <form.Select label="Content type" name="contentType" options={listContentTypes(contentType)} />
    <form.Text label="Source" name="source" autoComplete="off" placeholder="Optional: handbook" />
    <form.Text label="Expires" name="expiresAt" type="datetime-local" />
  </div>
)

/** A newer version that someone saved while the person writes. */
const Moved = ({ opened, current }: { opened: DocumentWithText; current: DocumentWithText }) =>
  current.version > opened.version && (
    <Notice tone="warning">
      <p role="status">
        Someone else saved version {current.version} in the meantime. When you save, you see their changes and choose.
      </p>
    </Notice>
  )

const RestoredNotice = ({ at, onDiscard }: { at: string; onDiscard: () => void }) => (
  <Notice>
    <div className="unsaved-notice" role="status">
      <p>
        Your unsaved text is back. You last typed <Time iso={at} />.
      </p>
      <Button size="small" onClick={onDiscard}>
        Discard it
      </Button>
    </div>
  </Notice>
)

type EditorProps = {
  handle: string
  /** The document as the person opened it; undefined for a new one. */
  opened: DocumentWithText | undefined
  /** The document as it is now. */
  current?: DocumentWithText | undefined
  source?: string | undefined
  /** Refuses an id that another document has. */
  checkId?: (id: string) => Promise<boolean>
  onSaved: (id: string) => Promise<void>
  onClose: () => void
  /** Starts over with the document as it is now. */
  onReopen: () => void
}

/** Ctrl+S and Ctrl+Enter save. */
const saveByKey = (event: KeyboardEvent<HTMLElement>) => {
  const { key, ctrlKey, metaKey, target } = event
  if (!(ctrlKey || metaKey) || (key !== 's' && key !== 'Enter') || !(target instanceof Element)) return
  event.preventDefault()
  target.closest('form')?.requestSubmit()
}

const useEditorForm = ({ handle, opened, source, checkId, onSaved }: EditorProps) => {
  const key = useUnsavedKey(handle, opened?.id)
  const [saved] = useState(() => (opened ? toValues(opened) : newValues(source)))
  const first = useFirstValues(key, saved)
  // After a conflict, a person may save their text on top of the version of the other.
  const base = useRef(opened)
  const edit = useDocumentEdit({ handle, onSent: () => unsaved.finish(), onWritten: onSaved })
  const form: DocumentForm = useContractForm({
    initial: first.values,
    contract: async () => (await import('@noema/contracts/documents.ts')).putDocument.body,
    paths: { source: 'source.name' },
    toBody: (values) => {
      if (values.text.trim() === '') throw new FieldProblem('text', 'A document has a text.')
      return toContent(values, base.current)
    },
    submit: async (content, { note }) => {
      if (content.id !== undefined && !opened && (await checkId?.(content.id)) === false)
        throw new FieldProblem('id', 'Another document has this id. Open it to edit it, or choose another id.')
      await edit.save({ content, note, version: base.current?.version })
    },
  })
  const unsaved = useKeptText(key, form.store, saved, opened?.version ?? null)
  return { form, edit, unsaved, first, saved, base }
}

type Editor = ReturnType<typeof useEditorForm>

const EditorForm = ({
  editor: { form, unsaved },
  isNew,
  onClose,
}: {
  editor: Editor
  isNew: boolean
  onClose: () => void
}) => {
  const contentType = useFormValue(form, 'contentType')
  const cancel = () => {
    unsaved.finish()
    onClose()
  }
  return (
    <Form
      form={form}
      submit={isNew ? 'Create document' : 'Save as a new version'}
      aside={
        <>
          <Button onClick={cancel}>Cancel</Button>
          <span className="muted small editor-hint">Ctrl+S saves</span>
        </>
      }
    >
      <Details form={form} isNew={isNew} contentType={contentType} />
      <form.Field name="text">
        {({ value, set, errorId }) => (
          <WritingArea text={value} onChange={set} isMarkdown={contentType === markdown} errorId={errorId} />
        )}
      </form.Field>
      <form.Text
        label="Note"
        name="note"
        autoComplete="off"
        placeholder="Optional: why. Reviewers and readers of the history see it."
      />
    </Form>
  )
}

/** Writes a new document or the next version of one, with a preview. Unsaved text stays in the tab. */
export const DocumentEditor = (props: EditorProps) => {
  const { handle, opened, current, onClose, onReopen } = props
  const editor = useEditorForm(props)
  const { form, edit, unsaved, first, saved, base } = editor
  const box = useRef<HTMLDivElement>(null)
  const { outcome } = edit
  if (outcome?.what === 'staged')
    return (
      <div className="document-editor">
        <StagedNotice handle={handle} what="Your text" change={outcome.change} />
        <div className="actions">
          <Button onClick={onClose}>{opened ? 'Back to the document' : 'All documents'}</Button>
        </div>
      </div>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form inside
    <div className="document-editor" ref={box} onKeyDown={saveByKey}>
      {first.unsaved && (
        <RestoredNotice
          at={first.unsaved.at}
          onDiscard={() => {
            first.discard()
            form.reset(saved)
          }}
        />
      )}
      {opened && current && !outcome && !edit.isSaving && <Moved opened={opened} current={current} />}
      {opened && outcome && (
        <DocumentConflict
          opened={opened}
          current={outcome.current}
          onSaveMine={() => {
            base.current = outcome.current
            box.current?.querySelector('form')?.requestSubmit()
          }}
          onKeepTheirs={() => {
            unsaved.finish()
            onReopen()
          }}
        />
      )}
      <EditorForm editor={editor} isNew={!opened} onClose={onClose} />
    </div>
  )
}
