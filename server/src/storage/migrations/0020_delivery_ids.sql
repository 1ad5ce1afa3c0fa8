-- Deliveries have a prefix of their own. What is still under way keeps its id, by which its receiver may know it already.
update organization_deliveries set id = 'dlv_' || substr(id, 5) where state <> 'pending' and id like 'msg\_%';
