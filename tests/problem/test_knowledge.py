import json
import re
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from benchmarks.knowledge import MASKED, PAPER, random_knowledge, violations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcsl
from mcsl.problem import Problem, Variable

NAMES = ("a", "b", "c", "d", "e", "f")
RECIPES = {
    "default": mcsl.Recipe.default(),
    "additive": mcsl.Recipe.additive(),
    "masked": MASKED,
    "paper": PAPER,
}


def table(seed, n_samples=120):
    simulation = mcsl.simulate("gp-add", n_variables=6, degree=2, n_samples=n_samples, seed=seed)
    return mcsl.Dataset(simulation.dataset.values, NAMES)


@pytest.mark.parametrize("name", RECIPES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_knowledge_holds_in_every_result(name, seed):
    knowledge = random_knowledge(np.random.default_rng(seed), NAMES)
    result = mcsl.learn(table(seed % 100), RECIPES[name], knowledge=knowledge)
    assert not violations(knowledge, result.graph)
    assert all(result.edge_probabilities[NAMES.index(a), NAMES.index(b)] == 1 for a, b in knowledge.required)
    assert result.knowledge == knowledge


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_a_random_graph_rarely_satisfies_random_knowledge(seed):
    # The judge of the test above must be able to complain.
    rng = np.random.default_rng(seed)
    knowledge = random_knowledge(rng, NAMES)
    complement = mcsl.CausalGraph(
        np.triu(~Problem.from_dataset(table(0)).with_knowledge(knowledge).required, 1), NAMES
    )
    if any(NAMES.index(a) < NAMES.index(b) for a, b in knowledge.required):
        assert violations(knowledge, complement)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"required": [("a", "b")], "forbidden": [("a", "b")]},
            "The edge a -> b is required, but it is forb",
        ),
        ({"required": [("a", "b")], "roots": ["b"]}, "The edge a -> b is required, but 'b' is a root"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "The edge a -> b is required, but 'a' is a leaf"),
        (
            {"required": [("a", "b")], "tiers": [["b"], ["a"]]},
            "edge a -> b .* 'b' is in an earlier tier than 'a'",
        ),
        ({"required": [("a", "a")]}, "The edge a -> a is required, but nothing causes itself"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "close the cycle . -> . -> . -> .; drop one"),
        ({"tiers": [["a"], ["b", "a"]]}, "'a' is in two tiers"),
        ({"required": ["ab"]}, "`required` holds .* pairs of names. Got 'ab' instead"),
        ({"forbidden": [("a", "b", "c")]}, "`forbidden` holds .* pairs"),
        ({"roots": "a"}, "`roots` must be a list. Got 'a' instead"),
        ({"leaves": [1]}, "`leaves` holds names, which are text. Got 1 instead"),
        ({"parents": []}, "has the parts required, forbidden, tiers, roots, leaves. Got parents instead"),
    ],
)
def test_contradictions_are_refused_with_their_edge(parts, message):
    with pytest.raises(mcsl.KnowledgeError, match=message):
        mcsl.Knowledge.from_dict(parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"required": [("a", "z")]}, "The required edge a -> z names 'z', which is not among the variables"),
        ({"forbidden": [("z", "a")]}, "The forbidden edge z -> a names 'z'"),
        ({"tiers": [["a"], ["z"]]}, "`tiers` names 'z'"),
        ({"roots": ["z"]}, "`roots` names 'z'"),
    ],
)
def test_unknown_names_are_refused_before_training(parts, message):
    with pytest.raises(mcsl.KnowledgeError, match=message):
        mcsl.learn(table(0), knowledge=mcsl.Knowledge(**parts))


def test_tiers_roots_and_leaves_forbid_what_they_say():
    knowledge = mcsl.Knowledge(tiers=[["a", "b"], ["c"]], roots=["d"], leaves=["e"])
    candidates, required = knowledge.constraints(NAMES)
    forbidden = {(NAMES[j], NAMES[i]) for j, i in np.argwhere(~candidates) if i != j}
    into_root = {(name, "d") for name in NAMES if name != "d"}
    out_of_leaf = {("e", name) for name in NAMES if name != "e"}
    assert forbidden == {("c", "a"), ("c", "b")} | into_root | out_of_leaf
    assert not required.any()


def test_forms_of_a_partial_graph_agree():
    knowledge = mcsl.Knowledge(required=[("a", "b")], forbidden=[("c", "a")])
    matrix = np.full((3, 3), np.nan)
    matrix[0, 1], matrix[2, 0], matrix[1, 2] = 1, 0, -1
    frame = pd.DataFrame(matrix, index=list("abc"), columns=list("abc"))
    graphs = nx.DiGraph([("a", "b")]), nx.DiGraph([("c", "a")])
    assert mcsl.Knowledge.from_matrix(matrix, "abc") == knowledge
    assert mcsl.Knowledge.from_matrix(frame) == knowledge
    assert mcsl.Knowledge.from_networkx(*graphs) == knowledge
    assert mcsl.Knowledge.from_dict(knowledge.to_dict()) == knowledge
    assert mcsl.Knowledge.from_networkx() == mcsl.Knowledge()


def test_odd_matrices_are_refused():
    with pytest.raises(mcsl.KnowledgeError, match=r"Got 0\.5 instead"):
        mcsl.Knowledge.from_matrix([[0, 0.5], [0, 0]], ["a", "b"])
    with pytest.raises(mcsl.KnowledgeError, match="2 names need a square matrix"):
        mcsl.Knowledge.from_matrix([[0, 1, 0]], ["a", "b"])
    with pytest.raises(mcsl.KnowledgeError, match="The edge a -> a is required, but nothing causes itself"):
        mcsl.Knowledge.from_matrix(np.eye(2), ["a", "b"])
    assert mcsl.Knowledge.from_matrix([[0, 1], [-1, np.nan]], ["a", "b"]).required == (("a", "b"),)


@pytest.mark.parametrize("part", ["required", "forbidden"])
@pytest.mark.parametrize(
    "graph", [nx.Graph([("b", "a")]), nx.MultiGraph([("b", "a")]), [("a", "b")]], ids=type
)
def test_graphs_without_directions_are_refused(part, graph):
    with pytest.raises(
        mcsl.KnowledgeError, match=f"`{part}` must be a directed .* Got {type(graph).__name__} i"
    ):
        mcsl.Knowledge.from_networkx(**{part: graph})


def test_json_and_yaml_files_are_read(tmp_path):
    knowledge = mcsl.Knowledge(required=[("no", "1"), ("a, b", "c -> d")], tiers=[["no"], ["1"]])
    (tmp_path / "known.json").write_text(json.dumps(knowledge.to_dict()), encoding="utf-8")
    (tmp_path / "known.yaml").write_text(
        'required:\n  - [no, 1]\n  - ["a, b", c -> d]\ntiers:\n  - [no]\n  - [1]\nroots:\n', encoding="utf-8"
    )
    (tmp_path / "empty.yml").write_text("", encoding="utf-8")
    assert mcsl.read_knowledge(tmp_path / "known.json") == knowledge
    assert mcsl.read_knowledge(tmp_path / "known.yaml") == knowledge
    assert mcsl.read_knowledge(tmp_path / "empty.yml") == mcsl.Knowledge()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.json", "{", "cannot be read as prior knowledge"),
        ("k.json", "[]", "Got list instead"),
        ("k.json", '{"required": [["a", 1]]}', "names, which are text. Got 1"),
        ("k.json", '{"roots": ["a"], "roots": ["b"]}', r"k\.json has `roots` twice; join them\.$"),
        ("k.yaml", "required: [[a, b]]\nrequired: [[b, c]]", r"k\.yaml has `required` twice; join them\.$"),
        ("k.yaml", "a: [", "cannot be read as prior knowledge"),
        ("k.yaml", "required: !!python/object/apply:os.mkdir [made]", "pairs of names. Got 'made' instead"),
    ],
)
def test_files_that_are_no_knowledge_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(mcsl.KnowledgeError, match=message):
        mcsl.read_knowledge(tmp_path / name)
    assert not Path("made").exists()


@pytest.mark.parametrize("entrance", [mcsl.learn, mcsl.assess_stability])
@pytest.mark.parametrize("given", [{"required": [["a", "b"]]}, {}, "known.json", [("a", "b")]])
def test_what_is_no_knowledge_is_refused(entrance, given):
    table = np.random.default_rng(0).standard_normal((40, 2))
    wanted = f"makes of a dict and `read_knowledge` of a file. Got {type(given).__name__} instead"
    with pytest.raises(mcsl.KnowledgeError, match=wanted):
        entrance(table, "additive", knowledge=given)


def test_a_required_edge_of_a_problem_must_be_a_candidate_and_closes_no_cycle():
    dataset = mcsl.Dataset(np.random.default_rng(0).standard_normal((30, 3)), ("a", "b", "c"))
    problem = Problem.from_dataset(dataset)
    required = np.zeros((3, 3), bool)
    required[0, 1] = required[1, 2] = True
    fixed = replace(problem, required=required)
    assert not fixed.candidates[2, 0], "an edge that would close a cycle is no candidate"
    assert fixed.candidates[0, 2]
    with pytest.raises(mcsl.KnowledgeError, match=re.escape("The edge a -> b is required but")):
        replace(problem, candidates=~required, required=required)
    with pytest.raises(mcsl.KnowledgeError, match="close the cycle"):
        replace(problem, required=required | required.T)
    with pytest.raises(mcsl.SettingsError, match="`required` must have shape"):
        replace(problem, required=np.zeros((2, 2), bool))


def test_vectors_are_known_by_the_names_of_their_variables():
    values = np.random.default_rng(0).standard_normal((200, 4))
    variables = (Variable("u", (0, 1), (0, 1)), Variable("v", (2, 3), (2, 3)))
    problem = Problem(mcsl.Dataset(values, tuple("abcd")), variables, np.ones((2, 2), bool))
    problem = problem.with_knowledge(mcsl.Knowledge(required=[("v", "u")]))
    fit = mcsl.OrderSearch().find(problem)
    pruned = mcsl.InteractionPruner().prune(fit.graph, problem)
    assert pruned.graph.edges == (("v", "u"),)
    assert [test.test for test in pruned.tests] == ["required"]


def test_a_pruner_that_forgets_required_edges_is_corrected():
    class Nothing:
        def prune(self, graph, problem):
            empty = mcsl.CausalGraph(np.zeros_like(graph.adjacency), graph.names)
            return type("Pruned", (), {"graph": empty, "tests": ()})()

    recipe = replace(mcsl.Recipe.additive(), pruner=Nothing())
    result = mcsl.learn(table(0), recipe, knowledge=mcsl.Knowledge(required=[("f", "a")]))
    assert result.graph.edges == (("f", "a"),)


def test_a_labelled_matrix_is_read_by_its_labels():
    matrix = pd.DataFrame(-1, index=list("cab"), columns=list("abc"))
    matrix.loc["c", "a"] = 1
    matrix.loc["b", "c"] = 0
    found = mcsl.Knowledge.from_matrix(matrix)
    assert (found.required, found.forbidden) == ((("c", "a"),), (("b", "c"),))


def test_networks_that_start_from_an_order_train_what_is_allowed_alone(monkeypatch):
    simulation = mcsl.simulate("gp-add", n_variables=4, degree=1.5, n_samples=200, seed=0)
    names = simulation.graph.names
    knowledge = mcsl.Knowledge(tiers=[names[:2], names[2:]], forbidden=[(names[0], names[1])])
    allowed = mcsl.Problem.from_dataset(simulation.dataset).with_knowledge(knowledge).candidates
    trained = []

    def train(problem, *_):
        trained.append(problem.candidates)
        raise KeyboardInterrupt

    monkeypatch.setattr("mcsl.training._train", train)
    # Splines lose, so that networks are trained.
    monkeypatch.setattr("mcsl.search.held_out.score_of_predictions", lambda *_: np.inf)
    with pytest.raises(mcsl.Interrupted):
        mcsl.learn(simulation.dataset, mcsl.Recipe.masked(), knowledge=knowledge)
    assert trained[0].any()
    assert not (trained[0] & ~allowed).any()
