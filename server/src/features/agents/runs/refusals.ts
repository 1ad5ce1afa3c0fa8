import { unknownReference } from '../../../shared/errors.ts'

// Refusals of what a new run names.

/** The refusal of an argument that names a conversation which is not there. */
export const unknownConversation = (at = 'conversationId') =>
  unknownReference([at], 'This organization has no such conversation. Create one first.')

/** The refusal of a response, in the format of OpenAI, that is not there. */
export const unknownResponse = () =>
  unknownReference(['previous_response_id'], 'This organization has no such response.')
