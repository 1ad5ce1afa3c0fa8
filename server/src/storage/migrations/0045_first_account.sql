-- Where no administrators are named the first account is one, which is asked for at each of its calls.
create index user_first on "user" ("createdAt", id);
