-- Clients of OpenAI's API name an agent by its name, which is in its newest version.
create index agent_versions_name on agent_versions (organization_id, (definition->>'name'));
